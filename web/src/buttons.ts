// The small buttons of the page.

/** How long a button says that it worked, in milliseconds. */
const SAID = 1600;

export function button(words: string, title: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.title = title;
  made.addEventListener("click", act);
  return made;
}

/** Copies a text, or selects the element that shows it where a page may not copy. */
export function copyButton(title: string, shown: HTMLElement, text: () => string) {
  const made = button("Copy", title, async () => {
    try {
      await navigator.clipboard.writeText(text());
      made.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(shown);
      made.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (made.textContent = "Copy"), SAID);
  });
  return made;
}
