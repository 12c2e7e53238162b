import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Observable, Subscription } from 'rxjs'
import { createClient, type Address, type Client, type DepthClientOptions, type Topic } from 'svc-streams'
import { startSimulator, type Simulator, type SimulatorOptions } from 'svc-streams/simulator'
import { onTestFinished } from 'vitest'

// A client and a simulated service over real sockets. Both are closed after the test.

export const weth: Address = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
export const wbtc: Address = '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'
export const ethTopic: Topic = `svc-${weth}`
export const btcTopic: Topic = `svc-${wbtc}`

/** The bytes 00 to 1f. */
export const authKey = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

/** Closes it after the test. */
export const closing = <A extends { close: () => Promise<void> }>(each: A): A => {
  onTestFinished(() => each.close())
  return each
}

/** A simulator with exactly these options. */
export const running = async (options: SimulatorOptions = {}): Promise<Simulator> =>
  closing(await startSimulator(options))

/** A simulator of two tokens whose prices change every 10 ms. */
export const startService = (options: SimulatorOptions = {}): Promise<Simulator> =>
  running({ tokens: [weth, wbtc], tick: 10, ...options })

export const clientOf = (simulator: Simulator, options: Partial<DepthClientOptions> = {}): Client =>
  closing(createClient({ environment: 'mainnet', ...simulator, ...options }))

/** What a stream gave so far. */
export interface Recorded<E, A> {
  readonly events: Either<E, A>[]
  readonly rights: () => A[]
  readonly tags: () => string[]
  readonly isComplete: () => boolean
  readonly subscription: Subscription
}

export const record = <E extends { readonly _tag: string }, A>(
  events$: Observable<Either<E, A>>,
): Recorded<E, A> => {
  const events: Either<E, A>[] = []
  let complete = false
  const subscription = events$.subscribe({
    next: (event) => events.push(event),
    complete: () => {
      complete = true
    },
  })
  return {
    events,
    rights: () => events.filter(isRight).map(({ right }) => right),
    tags: () => events.map((event) => (isRight(event) ? 'Right' : event.left._tag)),
    isComplete: () => complete,
    subscription,
  }
}
