// Every table of figures as text: copied for a spreadsheet, or saved as CSV. Made from what the
// table shows.
import { button, copyButton } from "./buttons";
import { download, plainName, titleOf } from "./save";

/** What a spreadsheet would take for a formula: names are of others. */
const FORMULA = /^(?:[=+@]|-(?![\d.]))/;

export function addTableButtons(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>(".scroll > table")) {
    const caption = table.caption;
    if (!caption) continue;
    const group = document.createElement("span");
    group.className = "save of-table";
    const tabs = () => rows(table).map((row) => row.join("\t")).join("\n");
    const copy = copyButton("Copy this table for a spreadsheet", table, tabs);
    const csv = button("CSV", "Save this table as CSV", () => {
      const text = rows(table).map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
      download(new Blob([text], { type: "text/csv" }), `${name(table)}.csv`);
    });
    group.append(copy, csv);
    caption.append(" ", group);
  }
}

/** The cells of every row that has something to read, a cell over several columns once. */
function rows(table: HTMLTableElement): string[][] {
  const read = [...table.rows].filter((row) => !row.closest("[aria-hidden=true]"));
  return read.map((row) => [...row.cells].map(textOf));
}

/** What a cell says, without what only the eye needs. */
function textOf(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLElement;
  copy.querySelectorAll("[aria-hidden=true]").forEach((part) => part.remove());
  const text = (copy.textContent ?? "").replace(/\s+/g, " ").trim();
  return FORMULA.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function name(table: HTMLTableElement): string {
  const words = table.closest(".scroll")?.getAttribute("aria-label") ?? "table";
  return plainName([titleOf(table), words].join(" "));
}
