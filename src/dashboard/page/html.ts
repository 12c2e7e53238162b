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
  if (element.textContent !== text) element.textContent = text
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

/** The commas are in the style sheet, so that the text remains one number. `minor`: number of the last digits that are dimmed. */
export const setDigits = (element: Element, digits: string, minor = 0): void => {
  if (element.textContent === digits.replaceAll(',', '')) return
  const end = digits.length - minor
  const [first = '', ...groups] = digits.slice(0, end).split(',')
  const nodes = [new Text(first), ...groups.map((group) => spanOf('group', group))]
  element.replaceChildren(...nodes, ...(minor === 0 ? [] : [spanOf('minor', digits.slice(end))]))
}

const spanOf = (name: string, text: string): HTMLElement => {
  const element = document.createElement('span')
  element.className = name
  element.textContent = text
  return element
}
