import { onTestFinished } from 'vitest'
import { PriceFrames } from '../../../../../src/wire/codec/fast-path.js'
import { wsTransport } from '../../../../../src/wire/transport/ws/ws-transport.js'
import { recordingListener, type RecordingListener } from '../../support/recording-listener.js'
import { priceText } from './frames.js'
import { maxFrameBytes } from './open-tap.js'
import type { OnTextFrame } from './frame-tap-over.js'

interface DialledWithPrices {
  readonly recorded: RecordingListener
  /** Number of prices that were read in place, not from `ws`. */
  readonly inPlaceCount: () => number
}

/** The number of topics `svc-0x0`, `svc-0x1`, … that `dialWithPrices` recognises. */
export const topicCount = 50

/** Dials with a listener that handles the prices of the topics in `bytes`, and records them as texts. */
export const dialWithPrices = (url: string, ca?: string): DialledWithPrices => {
  const transport = wsTransport(ca)
  onTestFinished(() => transport.close())
  const prices = new PriceFrames<string>()
  for (let index = 0; index < topicCount; index++) {
    prices.learn(priceText(`svc-0x${index}`, '1'), `svc-0x${index}`)
  }
  prices.learn(priceText('svc-0xa', '1'), 'svc-0xa')
  const recorded = recordingListener()
  let inPlaceCount = 0
  const bytes: OnTextFrame = (buffer, start, end) => {
    const topic = prices.recognise(buffer, start, end)
    if (topic === undefined) return false
    // A frame from `ws` has a buffer of its own, and starts at 0.
    if (start > 0) inPlaceCount++
    recorded.text(priceText(topic, `${prices.price}`))
    return true
  }
  transport.dial(url, { maxFrameBytes }, { ...recorded, bytes })
  return { recorded, inPlaceCount: () => inPlaceCount }
}
