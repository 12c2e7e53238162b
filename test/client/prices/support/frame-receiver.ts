import type { Session } from '../../../../src/wire/socket/session.js'
import { Secrets } from '../../../../src/wire/auth/secrets.js'
import { rxClock } from '../../../../src/base/time/clock.js'
import { EffectPerformer, type Effect } from '../../../../src/client/prices/effects.js'
import { FrameReceiver } from '../../../../src/client/prices/frame-receiver.js'
import type { Subscriptions } from '../../../../src/client/prices/subscriptions.js'

/** The time, monotonic, in ms, and the age of the prices if it may exceed `maxLag`. */
export interface ReceiverState {
  now: number
  behindMs: number | undefined
}

/** Receives frames for the subscriptions. `receive` returns the effects of a frame, which are not performed. */
export const createReceiver = (subscriptions: Subscriptions) => {
  const state: ReceiverState = { now: 0, behindMs: undefined }
  const clock = { ...rxClock, isVirtual: true, elapsed: () => state.now, wallClock: () => 0 }
  const lag = {
    onFrame: () => undefined,
    onHeld: () => undefined,
    isInTime: () => state.behindMs === undefined,
    get heldMs() {
      return state.behindMs
    },
  }
  const session = { epoch: 1, prices: 0, lag } as unknown as Session
  let effects: readonly Effect[] = []
  const ignore = (): void => undefined
  const connection = {
    ...{ session, scheduleIfNeeded: ignore, setOpen: ignore },
    perform: (performed: readonly Effect[]): void => void (effects = performed),
  }
  const config = {
    ...{ clock, service: 'svc', secrets: new Secrets() },
    ...{ onHeld: ignore, onDraining: ignore, onFailing: () => [], createPriceFrames: undefined },
  }
  const performer = new EffectPerformer(
    { clock, publish: ignore, onUncorrelated: ignore },
    { host: undefined as never, session },
  )
  const receiver = new FrameReceiver(config, subscriptions, connection, performer)
  const receive = (text: string): readonly Effect[] => {
    effects = []
    receiver.onText(text)
    return effects
  }
  return { receive, state }
}
