import { rxClock } from '../../../../src/base/time/clock.js'
import type { FrameSink } from '../../../../src/wire/socket/session.js'

/** The configuration of a session, without a transport. */
export const limits = {
  clock: rxClock,
  url: 'ws://localhost',
  connectTimeout: 100,
  pingInterval: 50,
  pongTimeout: 20,
  maxFrameBytes: 99,
  maxLag: Infinity,
  maxFramesPerSecond: Infinity,
  probeSupport: { isProven: false },
  nextEpoch: () => 1,
  onMeasured: () => undefined,
}

export const ignoringSink: FrameSink = {
  onBytes: () => false,
  onText: () => undefined,
  onBinary: () => undefined,
  onBehind: () => undefined,
  onCaughtUp: () => undefined,
}
