import fc from 'fast-check'
import { Subscription } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { nodePlatform } from '../../../../src/backtest/recording/read/node-platform.js'
import { openableSource, type Chunks } from '../../../../src/backtest/recording/read/source.js'
import { readWholeLines } from '../../../../src/backtest/recording/read/whole-lines.js'
import { chunked } from '../support/bytes.js'
import { chunksOf } from '../support/recordings.js'

const piecesOf = (chunks: Chunks): AsyncIterable<Uint8Array> =>
  readWholeLines(openableSource(nodePlatform, chunks).open(), new Subscription())

const read = async (chunks: readonly (string | Uint8Array)[]): Promise<readonly Uint8Array[]> => {
  const pieces: Uint8Array[] = []
  for await (const piece of piecesOf(chunksOf(...chunks))) pieces.push(piece)
  return pieces
}

const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '価', '😀', '\r', '"') })

describe('readWholeLines', () => {
  it('reads all bytes, in pieces that end with a line, however the source is divided', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(5)), async (whole, lengths) => {
        const bytes = Buffer.from(whole)
        const pieces = await read(chunked(bytes, lengths))
        expect(Buffer.concat(pieces).toString()).toBe(whole)
        for (const piece of pieces.slice(0, -1)) expect(piece.at(-1)).toBe(0x0a)
      }),
    )
  })

  it('reads the same from strings', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(5)), async (whole, lengths) => {
        const chunks: string[] = []
        const characters = Array.from(whole)
        let from = 0
        for (const length of lengths) chunks.push(characters.slice(from, (from += length)).join(''))
        const pieces = await read([...chunks, characters.slice(from).join('')])
        expect(Buffer.concat(pieces).toString()).toBe(whole)
      }),
    )
  })

  it('reads bytes and strings by turns', async () => {
    const pieces = await read([Buffer.from('a'), 'b', Buffer.from('c\nd'), 'e\n', 'f'])
    expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual(['abc\n', 'de\n', 'f'])
  })

  it('keeps what a source overwrites later', async () => {
    const memory = Buffer.from('ab')
    function* reuses(): Generator<Uint8Array> {
      yield memory
      memory.set(Buffer.from('c\n'))
      yield memory
    }
    const pieces: string[] = []
    for await (const piece of piecesOf(reuses())) pieces.push(Buffer.from(piece).toString())
    expect(pieces).toEqual(['abc\n'])
  })
})
