// Light, dark or as the system says; and the colours and symbols of the candidates, which the
// stylesheet and the page define once for tables and charts alike.

const ORDER = ["system", "light", "dark"] as const;
type Choice = (typeof ORDER)[number];

/** Colours for everything in a chart that is no candidate. */
export interface Palette {
  text: string;
  muted: string;
  line: string;
  band: string;
  paper: string;
}

function setTheme(theme: Choice): void {
  document.documentElement.dataset.theme = theme;
}

/** Shows the theme button and calls `changed` whenever the colours change. */
export function startTheme(changed: () => void): void {
  const button = document.getElementById("theme");
  if (!(button instanceof HTMLButtonElement)) return;
  let choice: Choice = "system";
  const apply = () => {
    setTheme(choice);
    button.textContent = `Theme: ${choice}`;
    changed();
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    choice = ORDER[(ORDER.indexOf(choice) + 1) % ORDER.length] ?? "system";
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  // Paper is white whatever the screen is.
  window.addEventListener("beforeprint", () => setTheme("light"));
  window.addEventListener("afterprint", () => setTheme(choice));
  apply();
}

/** A colour of the stylesheet as it is now: light or dark. */
function property(name: string): string {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = `var(${name})`;
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

export function palette(): Palette {
  return {
    text: property("--text"),
    muted: property("--muted"),
    line: property("--line"),
    band: property("--band"),
    paper: property("--paper"),
  };
}

/** Colour of a candidate, the same in every chart and table. */
export function color(candidate: number): string {
  return property(`--c${candidate % 8}`);
}

/** Symbol of a candidate as ECharts takes it. */
export function symbol(candidate: number): string {
  const symbols = document.querySelectorAll("symbol path");
  const path = symbols[candidate % symbols.length]?.getAttribute("d");
  return path ? `path://${path}` : "circle";
}

/** Font of the page, for texts inside charts. */
export function font(): string {
  return getComputedStyle(document.body).fontFamily;
}
