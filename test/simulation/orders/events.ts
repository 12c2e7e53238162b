/** The two topics. */
export type Name = 'A' | 'B'

export const names: readonly Name[] = ['A', 'B']

/**
 * One event at the core. `confirm`, `price`, `error text` and `open` come from the service; `drop` ends the socket or the dial;
 * `timeout` moves the time to the next timer. `error text` names no topic, `reject` names one. `isSameTick`: the next event
 * occurs in the same tick of the event loop.
 */
export type Event =
  | { readonly do: 'subscribe' | 'unsubscribe'; readonly topic: Name; readonly isSameTick: boolean }
  | { readonly do: 'confirm' | 'price' | 'reject'; readonly topic: Name }
  | { readonly do: 'error text' | 'drop' | 'open' | 'timeout' | 'close' }

export const describeEvent = (event: Event): string => {
  const topic = 'topic' in event ? ` ${event.topic}` : ''
  return `${event.do}${topic}${isSameTick(event) ? ' &' : ''}`
}

export const isSameTick = (event: Event): boolean => 'isSameTick' in event && event.isSameTick
