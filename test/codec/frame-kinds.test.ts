import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeFrame } from '../../src/codec/price-frame.js'
import { frameTexts } from './support/frame-texts.js'

it.each(Object.entries(frameTexts))('decodes each generated frame of the kind %s', (kind, text) => {
  fc.assert(
    fc.property(text, (generated) => {
      expect(decodeFrame(generated)).toMatchObject({ _tag: 'Right', right: { _tag: kind } })
    }),
  )
})
