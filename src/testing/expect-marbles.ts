/** An event of a `TestScheduler`. A subscription has two frames instead. */
interface TestEvent {
  readonly frame: number
  readonly notification: {
    readonly kind: 'N' | 'E' | 'C'
    readonly value?: unknown
    readonly error?: unknown
  }
}

interface TestSubscription {
  readonly subscribedFrame: number
  readonly unsubscribedFrame: number
}

/**
 * The assertion of a `TestScheduler`. If the streams differ, it throws an error whose message has both diagrams, one below the
 * other, the first difference, and the values. Works with every test runner. Values are equal if they have equal properties;
 * properties that are `undefined` are ignored.
 *
 * ```
 * expected  -a-b-|
 * actual    -a--c|
 *              ^
 * ```
 *
 * A diagram has a character a ms, and longer pauses as in ` 250ms `. Events of one ms are in parentheses, which take no time.
 *
 * @example
 * import { TestScheduler } from 'rxjs/testing'
 * import { expectMarbles } from 'svc-streams/testing'
 * new TestScheduler(expectMarbles).run(({ hot, expectObservable }) => {
 *   expectObservable(hot('-a-b-|')).toBe('-a-b-|')
 * })
 */
export const expectMarbles = (actual: unknown, expected: unknown): void => {
  const letters = new Map<string, string>()
  const [shown, wanted] = [ticksOf(actual, letters), ticksOf(expected, letters)]
  if (shown === undefined || wanted === undefined) {
    if (textOf(actual) === textOf(expected)) return
    throw failure(`expected  ${textOf(expected)}\nactual    ${textOf(actual)}`)
  }
  const frames = [...new Set([...shown.keys(), ...wanted.keys()])].sort((a, b) => a - b)
  const first = frames.find((frame) => shown.get(frame) !== wanted.get(frame))
  if (first === undefined) return
  throw failure(
    [
      ...diagramsOf(frames, wanted, shown, first),
      ...Array.from(letters, ([text, letter]) => `${letter}  ${text}`),
    ].join('\n'),
  )
}

/** The marbles of each frame; `undefined` for anything that is not a list of events or of subscriptions. */
type Ticks = ReadonlyMap<number, string>

const ticksOf = (list: unknown, letters: Map<string, string>): Ticks | undefined => {
  if (!Array.isArray(list)) return undefined
  const ticks = new Map<number, string>()
  const add = (frame: number, marble: string) => ticks.set(frame, (ticks.get(frame) ?? '') + marble)
  for (const each of list as readonly Partial<TestEvent & TestSubscription>[]) {
    if (each.notification !== undefined) add(each.frame ?? 0, marbleOf(each.notification, letters))
    else if (each.subscribedFrame !== undefined) {
      if (each.subscribedFrame !== Infinity) add(each.subscribedFrame, '^')
      if (each.unsubscribedFrame !== Infinity) add(each.unsubscribedFrame ?? 0, '!')
    } else return undefined
  }
  return ticks
}

const marbleOf = (
  { kind, value, error }: TestEvent['notification'],
  letters: Map<string, string>,
): string => {
  if (kind === 'C') return '|'
  return kind === 'N' ? letterOf(textOf(value), letters) : `#${letterOf(textOf(error), letters)}`
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Equal values have one letter, in both diagrams. */
const letterOf = (text: string, letters: Map<string, string>): string => {
  const letter = letters.get(text) ?? alphabet[letters.size] ?? `<${letters.size}>`
  letters.set(text, letter)
  return letter
}

/** A longer pause is a text. In ms. */
const longestDashes = 30

const diagramsOf = (
  frames: readonly number[],
  wanted: Ticks,
  shown: Ticks,
  first: number,
): readonly string[] => {
  let [expected, actual, mark] = ['expected  ', 'actual    ', '']
  let next = 0
  for (const frame of frames) {
    const pause = frame - next
    const gap = pause > longestDashes ? ` ${pause}ms ` : '-'.repeat(pause)
    const marbles = [groupOf(wanted.get(frame)), groupOf(shown.get(frame))] as const
    const width = Math.max(...marbles.map(({ length }) => length))
    expected += gap
    if (frame === first) mark = `${' '.repeat(expected.length)}^ ${frame} ms`
    expected += marbles[0].padEnd(width, '-')
    actual += gap + marbles[1].padEnd(width, '-')
    next = frame + 1
  }
  return [expected.replace(unusedTime, ''), actual.replace(unusedTime, ''), mark]
}

/** The time after the last event of a diagram. */
const unusedTime = /(?:-| \d+ms )+$/

const groupOf = (marbles = ''): string => (marbles.length <= 1 ? marbles : `(${marbles})`)

/** A value as one line. Keys are sorted, because their order is no difference. `parents`: the objects that contain it. */
const textOf = (value: unknown, parents: readonly object[] = []): string => {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Error) return `${value.name}: ${value.message}`
  if (value instanceof Date) return `Date ${value.getTime()}`
  if (parents.includes(value)) return `<circular ${parents.length - parents.indexOf(value)}>`
  const partOf = (part: unknown): string => textOf(part, [...parents, value])
  if (Array.isArray(value)) return `[${value.map(partOf).join(', ')}]`
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} ${partOf([...value])}`
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  const texts = entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => `${key}: ${partOf(each)}`)
  return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`
}

const failure = (text: string): Error => {
  const error = new Error(`the streams differ\n\n${text}\n`)
  error.name = 'AssertionError'
  return error
}
