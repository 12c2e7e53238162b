import { expect, it } from 'vitest'
import { decodeClientMessage } from '../../src/gateway/websocket/client-message.js'
import {
  decodeFrame,
  PriceUpdate,
  SubscriptionConfirmation,
  type Frame,
} from '../../src/wire/codec/price-frame.js'
import { readPage } from './support/block.js'

interface Schema {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, object>>
}

interface Message {
  readonly payload: object
  readonly examples: readonly { readonly payload: unknown }[]
}

const document = JSON.parse(readPage('docs/reference/asyncapi.json')) as {
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

const { messages, schemas } = document.components

/** The text of each example of a message, as it is sent. */
const textsOf = (name: string): readonly string[] =>
  messages[name]!.examples.map(({ payload }) =>
    typeof payload === 'string' ? payload : JSON.stringify(payload),
  )

/** The message of each kind of frame. A new kind does not compile without one. */
const messageOf: Readonly<Record<Frame['_tag'], string>> = {
  PriceUpdate: 'priceUpdate',
  Confirmation: 'confirmation',
  ErrorText: 'errorText',
}

const clientMessages = ['subscribe', 'unsubscribe']

it('describes each frame of the server and of the client, and no other', () => {
  expect(Object.keys(messages).sort()).toEqual([...Object.values(messageOf), ...clientMessages].sort())
})

it.each(Object.entries(messageOf))(
  'has examples that decode as %s, with each of their fields',
  (tag, name) => {
    expect(textsOf(name).length).toBeGreaterThan(0)
    for (const text of textsOf(name)) {
      const fields = tag === 'ErrorText' ? { text } : (JSON.parse(text) as object)
      expect(decodeFrame(text)).toEqual({ _tag: 'Right', right: { _tag: tag, ...fields } })
    }
  },
)

it.each(clientMessages)('has examples of %s that a gateway decodes', (method) => {
  for (const text of textsOf(method))
    expect(decodeClientMessage(text)).toEqual({ _tag: 'Right', right: JSON.parse(text) as unknown })
})

it.each([
  ['priceUpdate', PriceUpdate.props, ['age', 'position']],
  ['confirmation', SubscriptionConfirmation.props, ['position']],
  ['subscribe', { method: 0, topic: 0 }, []],
  ['unsubscribe', { method: 0, topic: 0 }, []],
] as const)(
  'has the fields of the codec in the schema of %s, required as there',
  (name, fields, optional) => {
    const { required, properties } = schemas[name]!
    expect([...required].sort()).toEqual(Object.keys(fields).sort())
    expect(Object.keys(properties).sort()).toEqual([...Object.keys(fields), ...optional].sort())
  },
)

it('rejects a value that the schema of a price does not allow', () => {
  const topic = 'svc-0xab'
  const wrong = [{ topic }, { topic, price: 0 }, { topic, price: 1, age: -1 }, { price: 1 }]
  expect(wrong.map((frame) => decodeFrame(JSON.stringify(frame))._tag)).toEqual(wrong.map(() => 'Left'))
})

it('refers to parts of itself that exist', () => {
  const references = [...readPage('docs/reference/asyncapi.json').matchAll(/"\$ref": "#\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  )
  expect(references.length).toBeGreaterThan(15)
  const find = (path: string): unknown =>
    path.split('/').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document)
  expect(references.filter((path) => find(path) === undefined)).toEqual([])
})
