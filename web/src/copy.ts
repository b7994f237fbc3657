// A button beside every command and text that is there to be pasted.
import { copyButton } from "./buttons";

export function addCopyButtons(): void {
  for (const pre of document.querySelectorAll<HTMLElement>("pre.paste")) {
    const frame = document.createElement("div");
    frame.className = "copy";
    pre.replaceWith(frame);
    frame.append(pre, copyButton("Copy this text", pre, () => pre.textContent ?? ""));
  }
}
