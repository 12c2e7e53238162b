import { asyncScheduler, type Observer } from 'rxjs'
import { expect } from 'vitest'

/** What a strategy has emitted, as text: the time in ms since the start of the market, and the notification. */
export interface Events {
  readonly lines: string[]
  readonly observer: Observer<unknown>
}

/** `now`: the time in ms since the start of the market. */
export const createEvents = (now: () => number = () => asyncScheduler.now()): Events => {
  const lines: string[] = []
  const add = (kind: string, value?: unknown): void =>
    void lines.push(`${Number(now().toFixed(3))} ${kind} ${value === undefined ? '' : textOf(value)}`)
  return {
    lines,
    observer: {
      next: (value) => add('next', value),
      error: (thrown) => add('error', thrown),
      complete: () => add('complete'),
    },
  }
}

/** A `Waiting` status does not say how the connection was closed: until the next row, a replay says 1006. */
const withoutCode = (text: string): string =>
  text.replace(/\((?:1006|1012): /, '(').replace(/"code":\d+,/, '')

const textOf = (value: unknown): string =>
  value instanceof Error ? `${value.name}: ${value.message}` : withoutCode(JSON.stringify(value, replacer))

const replacer = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

const timeOf = (line: string): number => Number(line.slice(0, line.indexOf(' ')))

/** The events before a time, in ms. */
export const before = (ms: number, lines: readonly string[]): readonly string[] =>
  lines.filter((line) => timeOf(line) < ms)

/** The same events in the same order, each at the same time, or at most `tolerance` ms earlier. */
export const expectSame = (actual: readonly string[], expected: readonly string[], tolerance = 0): void => {
  const moved = actual.map((line, index) => {
    const early = timeOf(expected[index] ?? line) - timeOf(line)
    return early > 0 && early <= tolerance ? `${timeOf(line) + early}${line.slice(line.indexOf(' '))}` : line
  })
  expect(moved).toEqual(expected)
}

/** Each event once, without its time, in the order in which they begin. Events with the same text begin again after others. */
export const withoutRepetitions = (lines: readonly string[]): readonly string[] => {
  const events = withoutTime(lines)
  return events.filter((event, index) => event !== events[index - 1])
}

/** The events alone, for worlds in which time is real. A completion is the end of the replay. */
export const withoutTime = (lines: readonly string[]): readonly string[] =>
  lines
    .map((line) => line.slice(line.indexOf(' ') + 1).replace(/("silentForMs":|no price for )\d+/g, '$1'))
    .filter((line) => !line.startsWith('complete'))
