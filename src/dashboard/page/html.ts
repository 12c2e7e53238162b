// Elements from HTML of this program, and changes of their texts. Texts from elsewhere are never HTML.

/** Creates an element. `html`: one element, without texts from elsewhere. */
export const fromHtml = (html: string): HTMLElement => {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content.firstElementChild as HTMLElement
}

/** The first element below `root` that matches. */
export const part = (root: Element, selector: string): HTMLElement => {
  const found = root.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`The page has no ${selector}.`)
  return found
}

/** The parts of an element, each searched for once: for elements that are rendered many times a second. */
export const partsOf = (root: Element): ((selector: string) => HTMLElement) => {
  const found = new Map<string, HTMLElement>()
  return (selector) => {
    const element = found.get(selector) ?? part(root, selector)
    found.set(selector, element)
    return element
  }
}

/** Replaces the text of an element, unless it is that. A browser then neither lays out nor announces anything. */
export const setText = (element: Element, text: string): void => {
  const { childNodes, firstChild } = element
  if (childNodes.length === 1 && firstChild instanceof Text) setData(firstChild, text)
  else if (element.textContent !== text) element.textContent = text
}

/** Replaces the children of an element, unless it has these. The focus remains where it is. */
export const setChildren = (element: Element, children: readonly Element[]): void => {
  const before = element.children
  if (before.length === children.length && children.every((child, index) => child === before[index])) return
  const focused = document.activeElement
  element.replaceChildren(...children)
  if (focused instanceof HTMLElement && element.contains(focused)) focused.focus()
}

/** Replaces an attribute, unless it has that value. */
export const setAttribute = (element: Element, name: string, value: string): void => {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}

/**
 * Shows a number with separators. The commas are in the style sheet, so that its text remains one number. `minor`: number of
 * the last digits that are dimmed.
 */
export const setDigits = (element: Element, digits: string, minor = 0): void => {
  const end = digits.length - minor
  const parts = digits
    .slice(0, end)
    .split(',')
    .map((group, index): readonly [text: string, name: string] => [group, index === 0 ? '' : 'group'])
  const shown = minor === 0 ? parts : [...parts, [digits.slice(end), 'minor'] as const]
  const { childNodes } = element
  const isSame =
    shown.length === childNodes.length && shown.every(([, name], index) => nameOf(childNodes[index]) === name)
  if (!isSame) return element.replaceChildren(...shown.map(([text, name]) => digitsNode(text, name)))
  shown.forEach(([text], index) => {
    const node = childNodes[index]
    const data = node instanceof Text ? node : node?.firstChild
    if (data instanceof Text) setData(data, text)
  })
}

const nameOf = (node: Node | undefined): string | undefined =>
  node instanceof HTMLElement ? node.className : node && ''

const digitsNode = (text: string, name: string): Node => {
  if (name === '') return new Text(text)
  const element = document.createElement('span')
  element.className = name
  element.textContent = text
  return element
}

const setData = (node: Text, text: string): void => {
  if (node.data !== text) node.data = text
}
