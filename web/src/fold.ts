// Tables of figures are open without this script, because they are all there is then; beside the
// charts they are folded.

/** Folds them, except one that the address leads into. */
export function foldFigures(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details.figures")) {
    if (!target || !details.contains(target)) details.open = false;
  }
  window.addEventListener("hashchange", openTarget);
  target?.scrollIntoView();
}

/** Not every browser opens what a link leads into. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  let within = target?.closest("details");
  if (!within) return;
  for (; within; within = within.parentElement?.closest("details")) within.open = true;
  target?.scrollIntoView();
}
