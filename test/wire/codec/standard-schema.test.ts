import { initTRPC } from '@trpc/server'
import fc from 'fast-check'
import { isRight } from 'fp-ts/lib/Either.js'
import type { Type } from 'io-ts/lib/index.js'
import { describe, expect, it } from 'vitest'
import * as exported from '../../../src/exports.js'
import { DepthBody, PriceUpdate, Quantity, type StandardSchema } from '../../../src/exports.js'

type Codec = Type<unknown> & StandardSchema<unknown, unknown>

const codecs = Object.entries<object>(exported).filter(
  (entry): entry is [string, Codec] => 'decode' in entry[1],
)

describe('a codec as a standard schema', () => {
  it('is each codec of the package', () => {
    expect(codecs.length).toBeGreaterThan(8)
    for (const [name, codec] of codecs)
      expect(codec['~standard'], name).toMatchObject({ version: 1, vendor: 'svc-streams' })
  })

  it.each(codecs)('%s has the value or the issues that io-ts has, for any value', (_, codec) => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.float(), fc.bigInt().map(String)), (value) => {
        const decoded = codec.decode(value)
        const result = codec['~standard'].validate(value)
        if (isRight(decoded)) expect(result).toEqual({ value: decoded.right })
        else expect(result.issues?.length).toBeGreaterThan(0)
      }),
    )
  })

  it('names the field of each issue', () => {
    const side = { total_quantity: '1', total_quantity_usd: 2 }
    const body = { price: 1, timestamp: 0, buy: { ...side, total_quantity: -1 }, sell: undefined }
    expect(DepthBody['~standard'].validate(body)).toEqual({
      issues: [
        { path: ['buy', 'total_quantity'], message: 'expected an integer of at least 0, got -1' },
        { path: ['sell'], message: 'expected an object, got nothing' },
      ],
    })
    expect(Quantity['~standard'].validate('x')).toEqual({
      issues: [{ path: [], message: 'expected an integer of at least 0, got "x"' }],
    })
  })
})

describe('a procedure of tRPC with a codec', () => {
  const { procedure, router, createCallerFactory } = initTRPC.create()
  const caller = createCallerFactory(
    router({
      doubled: procedure.input(Quantity).query(({ input }) => input * 2n),
      price: procedure.input(PriceUpdate).query(({ input }) => `${input.topic} ${input.price}`),
    }),
  )({})

  it('receives the decoded value', async () => {
    await expect(caller.doubled('9336472979533427001')).resolves.toBe(18672945959066854002n)
    await expect(caller.price({ topic: 'svc-0xab', price: 1.5 })).resolves.toBe('svc-0xab 1.5')
  })

  it('rejects an invalid value, with the issues', async () => {
    await expect(caller.price({ topic: 'svc-0xab', price: -1 })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      cause: { issues: [{ path: ['price'], message: 'expected a finite number above 0, got -1' }] },
    })
  })
})
