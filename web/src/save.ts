// Every chart as a file: an SVG with its title and names, or a PNG of it. Made from what is drawn,
// and from nowhere else; text goes in as text nodes, never as markup.
import { button } from "./buttons";
import { palette, font } from "./theme";

const NS = "http://www.w3.org/2000/svg";
const PADDING = 16;
const LINE = 18;
/** Pixels of the PNG for each of the drawing. */
const SCALE = 2;

/** The buttons of a figure. */
export function addSaveButtons(figure: HTMLElement): void {
  const caption = figure.querySelector("figcaption");
  if (!caption) return;
  const group = document.createElement("span");
  group.className = "save";
  for (const [kind, save] of [["SVG", saveSvg], ["PNG", savePng]] as const) {
    group.append(button(kind, `Save this chart as ${kind}`, () => void save(figure)));
  }
  caption.prepend(group);
}

async function saveSvg(figure: HTMLElement): Promise<void> {
  const { svg } = picture(figure);
  download(new Blob([svg], { type: "image/svg+xml" }), `${fileName(figure)}.svg`);
}

async function savePng(figure: HTMLElement): Promise<void> {
  const { svg, width, height } = picture(figure);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && download(blob, `${fileName(figure)}.png`), "image/png");
}

/** A drawing that stands alone: background, title, caption, names and what ECharts drew. */
function picture(figure: HTMLElement): { svg: string; width: number; height: number } {
  const drawn = figure.querySelector<SVGSVGElement>(".plot svg");
  const { paper, text, muted } = palette();
  const size = drawn?.getBoundingClientRect() ?? new DOMRect(0, 0, 300, 100);
  const head = [titleOf(figure), figure.querySelector("figcaption strong")?.textContent ?? ""];
  const note = noteOf(figure);
  const lines = wrap(note, Math.max(30, Math.floor(size.width / 7)));
  const top = PADDING + (head.length + lines.length) * LINE + 8;
  const width = Math.ceil(size.width) + 2 * PADDING;
  const height = Math.ceil(size.height + top) + PADDING;
  const root = make("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  root.style.fontFamily = font();
  root.append(make("rect", { width, height, fill: paper }));
  head.forEach((words, i) =>
    root.append(write(words, PADDING, PADDING + (i + 0.8) * LINE, text, i === 0 ? 15 : 13, 650)),
  );
  lines.forEach((words, i) =>
    root.append(write(words, PADDING, PADDING + (head.length + i + 0.8) * LINE, muted, 12, 400)),
  );
  const inner = make("g", { transform: `translate(${PADDING} ${top})` });
  if (drawn) inner.append(...Array.from(drawn.cloneNode(true).childNodes));
  for (const label of figure.querySelectorAll<HTMLElement>(".labels > div")) {
    inner.append(...labelOf(label, text, muted));
  }
  root.append(inner);
  return { svg: new XMLSerializer().serializeToString(root), width, height };
}

/** A name as it lies over the drawing: symbol, text, and what its dashes mean. */
function labelOf(label: HTMLElement, text: string, muted: string): SVGElement[] {
  const top = parseFloat(label.style.top) + 16;
  const mark = label.querySelector<SVGSVGElement>("svg.mark");
  const parts: SVGElement[] = [];
  let x = 0;
  if (mark) {
    const id = mark.querySelector("use")?.getAttribute("href")?.slice(1) ?? "";
    const path = document.getElementById(id)?.querySelector("path")?.getAttribute("d") ?? "";
    const fill = getComputedStyle(mark).fill;
    parts.push(make("path", { d: path, fill, transform: `translate(7 ${top - 5}) scale(1.2)` }));
    x = 22;
  }
  const words = [...label.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
  parts.push(write(words?.textContent ?? "", x, top, text, 13, 400));
  const keys = [...label.querySelectorAll(".key")].map((key) => key.textContent ?? "");
  if (keys.length > 0) {
    const from = x + (words?.textContent?.length ?? 0) * 7 + 16;
    parts.push(write(keys.join(", "), from, top, muted, 12, 400));
  }
  return parts;
}

function make(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

function write(words: string, x: number, y: number, fill: string, size: number, weight: number) {
  const attributes = { x, y, fill, "font-size": size, "font-weight": weight };
  const element = make("text", attributes);
  element.textContent = words;
  return element;
}

/** The title of the section that something is in. */
export function titleOf(figure: HTMLElement): string {
  const section = figure.closest("section");
  return section?.querySelector("h2")?.textContent?.trim() ?? document.title;
}

function noteOf(figure: HTMLElement): string {
  const caption = figure.querySelector("figcaption");
  const own = [...(caption?.childNodes ?? [])].filter((node) => node.nodeType === Node.TEXT_NODE);
  return own.map((node) => node.textContent ?? "").join(" ").replace(/\s+/g, " ").trim();
}

function wrap(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const last = lines[lines.length - 1];
    const fits = last !== undefined && last.length + word.length < most;
    if (fits) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function fileName(figure: HTMLElement): string {
  return plainName([titleOf(figure), figure.dataset.kind ?? "", figure.dataset.op ?? ""].join(" "));
}

/** Letters and digits only: it becomes a name on somebody's disk. */
export function plainName(words: string): string {
  const plain = words.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
  return `bakeoff-${plain.replace(/-+$/, "")}`;
}

/** Gives a file to whoever reads the page. */
export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
