// A button beside every command and text that is there to be pasted.

/** How long a button says that it worked, in milliseconds. */
const SAID = 1600;

export function addCopyButtons(): void {
  for (const pre of document.querySelectorAll<HTMLElement>("pre.paste")) {
    const frame = document.createElement("div");
    frame.className = "copy";
    pre.replaceWith(frame);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const done = await copy(pre);
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      setTimeout(() => (button.textContent = "Copy"), SAID);
    });
    frame.append(pre, button);
  }
}

/** Copies the text, or selects it where the browser does not let a page copy. */
async function copy(pre: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(pre.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(pre);
    return false;
  }
}
