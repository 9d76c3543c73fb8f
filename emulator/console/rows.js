/**
 * @typedef {(name: string) => HTMLElement} FindPart
 * @typedef {{ readonly id: string }} Item
 */

/**
 * Updates the list to one row per item, in order. Rows of unchanged items are kept, so that focus, selection and the
 * position of a screen reader are kept too.
 * @template {Item} T
 * @param {string} listId
 * @param {string} templateId
 * @param {readonly T[]} items
 * @param {(find: FindPart, item: T) => void} fill
 * @param {boolean} [marksNew] whether new rows are highlighted briefly
 */
export function showRows(listId, templateId, items, fill, marksNew = false) {
  const list = elementById(listId);
  const ids = new Set(items.map(({ id }) => id));
  for (const row of childrenOf(list)) {
    if (!ids.has(row.dataset.id ?? '')) row.remove();
  }
  const rows = new Map(childrenOf(list).map((row) => [row.dataset.id, row]));
  items.forEach((item, index) => {
    const row = rows.get(item.id) ?? newRow(templateId, item.id, marksNew);
    fill((name) => findPart(row, name), item);
    const there = list.children[index] ?? null;
    if (there !== row) list.insertBefore(row, there);
  });
}

/** @param {string} listId */
export function clearRows(listId) {
  elementById(listId).replaceChildren();
}

/**
 * Names and errors are untrusted: they become text, never markup.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function showText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Hides the element if the text is empty, so that it leaves no gap.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function showOptionalText(element, text) {
  showText(element, text);
  element.hidden = text === '';
}

/** @param {string} id */
export function elementById(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}

/**
 * @param {string} templateId
 * @param {string} id
 * @param {boolean} isMarked
 */
function newRow(templateId, id, isMarked) {
  const template = elementById(templateId);
  const row = template instanceof HTMLTemplateElement ? template.content.firstElementChild : null;
  if (row === null) throw new Error(`the template ${templateId} is empty`);
  // A copy of an HTMLElement is an HTMLElement.
  const copy = /** @type {HTMLElement} */ (row.cloneNode(true));
  copy.dataset.id = id;
  copy.classList.toggle('is-new', isMarked);
  return copy;
}

/**
 * @param {HTMLElement} row
 * @param {string} name
 */
function findPart(row, name) {
  const part = row.querySelector(`[data-part="${name}"]`);
  if (!(part instanceof HTMLElement)) throw new Error(`the row has no part ${name}`);
  return part;
}

/** @param {HTMLElement} list */
function childrenOf(list) {
  return [...list.children].filter((child) => child instanceof HTMLElement);
}
