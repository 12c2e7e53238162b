import { left, right, type Either } from 'fp-ts/lib/Either.js'
import type { RunHelpers } from 'rxjs/internal/testing/TestScheduler'
import { TestScheduler } from 'rxjs/testing'
import {
  createClient,
  type ClientOptions,
  type Price,
  type PriceClient,
  type PriceError,
  type Topic,
} from 'svc-streams'
import { price } from 'svc-streams/testing'
import { expect, vi } from 'vitest'
import {
  scriptedSocket,
  type Script,
  type ScriptedSocket,
  type ScriptedSocketOptions,
} from './scripted-socket.js'

export const a: Topic = 'svc-0xaa'
export const b: Topic = 'svc-0xbb'

export interface MarbleHelpers extends RunHelpers {
  readonly hot$: RunHelpers['hot']
  readonly cold$: RunHelpers['cold']
}

/** Runs a marble test in virtual time, which starts at 0. `Math.random()` returns 0.5. */
export const marbles = (test: (helpers: MarbleHelpers) => void): void => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected))
  try {
    scheduler.run((helpers) => {
      // A price stream with a subscriber sends pings without end. A test that does not unsubscribe fails instead of hanging.
      scheduler.maxFrames = 1_000_000
      test({ ...helpers, hot$: helpers.hot, cold$: helpers.cold })
    })
  } finally {
    random.mockRestore()
  }
}

export interface ScriptedClient {
  readonly client: PriceClient
  readonly socket: ScriptedSocket
}

/** Creates a client whose socket emits the events of the script. */
export const createScriptedClient = (
  script$: Script,
  options: Partial<ClientOptions> = {},
  socketOptions: ScriptedSocketOptions = {},
): ScriptedClient => {
  const socket = scriptedSocket(script$, socketOptions)
  const client = createClient({
    environment: 'testnet',
    priceBaseUrl: 'http://localhost:3000',
    webSocket: socket,
    ...options,
  })
  return { client, socket }
}

/** A price that was received at a frame of virtual time. */
export const priceAt = (frame: number, topic: Topic, usd: number, epoch = 1): Either<PriceError, Price> =>
  right(price(topic, usd, { receivedAt: frame, epoch }))

/** Matches a `Left` whose error has at least these fields. */
export const leftWith = (fields: object): Either<object, never> =>
  left(expect.objectContaining(fields) as object)

export const subscribeFrame = (topic: string): string => `{"method":"subscribe","topic":"${topic}"}`
export const unsubscribeFrame = (topic: string): string => `{"method":"unsubscribe","topic":"${topic}"}`
