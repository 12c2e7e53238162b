import { ranges, type Range } from './samples.js'
import type { Figures } from './watched-token.js'

// The tokens that the page shows, and their order. The address of the page contains this after `#`.

/** `cards`: a card of each token. `table`: a row of each token, and the cards of those that are pinned. */
export const layouts = ['cards', 'table'] as const
export type Layout = (typeof layouts)[number]

export const rangeNames = Object.keys(ranges) as readonly Range[]

export const sortKeys = ['symbol', 'price', 'change', 'age', 'lag'] as const
export type SortKey = (typeof sortKeys)[number]

export interface View {
  readonly layout: Layout
  /** The time that charts, changes, lows and highs are of. */
  readonly range: Range
  /** `undefined`: in the order of the configuration. */
  readonly sort: SortKey | undefined
  readonly isDescending: boolean
  /** Parts of symbols and addresses, separated by spaces; empty: all tokens. */
  readonly filter: string
  /** Addresses in lower case. These tokens are first. */
  readonly pins: readonly string[]
}

/** More tokens than this are a table, unless the view has a layout. */
const maxCards = 8

/** `count`: of the tokens. */
export const defaultView = (count: number): View => ({
  layout: count > maxCards ? 'table' : 'cards',
  range: '5m',
  sort: undefined,
  isDescending: false,
  filter: '',
  pins: [],
})

/** Reads the part behind `#` of an address. Leaves out what is not valid. */
export const parseView = (hash: string, count: number): View => {
  const values = new URLSearchParams(hash.replace(/^#/, ''))
  const { layout, range } = defaultView(count)
  return {
    layout: layouts.find((each) => each === values.get('layout')) ?? layout,
    range: rangeNames.find((each) => each === values.get('range')) ?? range,
    sort: sortKeys.find((key) => key === values.get('sort')),
    isDescending: values.get('order') === 'descending',
    filter: values.get('filter') ?? '',
    pins: [
      ...new Set(
        values
          .get('pins')
          ?.toLowerCase()
          .match(/0x[0-9a-f]+/g),
      ),
    ],
  }
}

/** The part behind `#`, with what differs from the default; empty if nothing does. */
export const formatView = (view: View, count: number): string => {
  const standard = Object.values(fieldsOf(defaultView(count)))
  const changed = Object.entries(fieldsOf(view)).filter(([, value], index) => value !== standard[index])
  return new URLSearchParams(changed).toString().replaceAll('%2C', ',')
}

/** The fields of the part behind `#`, as texts. */
const fieldsOf = ({ layout, range, sort, isDescending, filter, pins }: View) => ({
  ...{ layout, range, sort: sort ?? '', order: isDescending ? 'descending' : '' },
  ...{ filter, pins: pins.join() },
})

/** The same column again reverses the order. A column of numbers begins with the largest. */
export const sortedBy = (view: View, key: SortKey): View => ({
  ...view,
  sort: key,
  isDescending: view.sort === key ? !view.isDescending : key !== 'symbol',
})

/** Pins a token after the other pinned tokens, or unpins it. */
export const withPin = (view: View, address: string): View => ({
  ...view,
  pins: view.pins.includes(address) ? view.pins.filter((pin) => pin !== address) : [...view.pins, address],
})

/** The tokens that the view shows, in its order. Pinned tokens are first, and values that are not known are last. */
export const arranged = <A extends Figures>(figures: readonly A[], view: View): readonly A[] => {
  const pins = new Set(view.pins)
  const isPinned = ({ token }: A): boolean => pins.has(token.address.toLowerCase())
  const shown = figures.filter(matcher(view.filter)).toSorted(orderOf(view))
  return [...shown.filter(isPinned), ...shown.filter((each) => !isPinned(each))]
}

const matcher = (filter: string): ((figures: Figures) => boolean) => {
  const parts = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ token }) => {
    const texts = [token.symbol.toLowerCase(), token.address.toLowerCase()]
    return parts.length === 0 || parts.some((part) => texts.some((text) => text.includes(part)))
  }
}

const orderOf = ({ sort, isDescending }: View): ((a: Figures, b: Figures) => number) => {
  if (sort === undefined) return () => 0
  const factor = isDescending ? -1 : 1
  if (sort === 'symbol') return (a, b) => factor * collator.compare(a.token.symbol, b.token.symbol)
  return (a, b) => {
    const [left, right] = [a[sort], b[sort]]
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined)
    return factor * (left - right)
  }
}

/** `T2` comes before `T10`. */
const collator = new Intl.Collator('en', { numeric: true })
