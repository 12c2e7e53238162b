import { describe, expect, it } from 'vitest'
import { frameTexts } from '../wire/codec/support/frame-texts.js'
import { filesBelow, readPage } from './support/block.js'

/** The names of the declarations in a source file that a pattern finds. */
const namesIn = (file: string, pattern: RegExp): readonly string[] => [
  ...new Set([...readPage(file).matchAll(pattern)].map(([, name = '']) => name)),
]

describe('the table of members in the guide to the first price', () => {
  it.each(namesIn('src/client/client.ts', /^ {2}readonly ([\w$]+):/gm))('lists %s', (member) => {
    const name = member.replace('$', '\\$')
    expect(readPage('docs/start/first-price.md')).toMatch(new RegExp(`^\\| \`${name}(\\(.*\\))?\` `, 'm'))
  })
})

describe('the page of diagnostics channels', () => {
  const [, declarations = ''] = readPage('src/base/diagnostics/messages.ts').split(
    'interface DiagnosticMessages {',
  )
  /** Each channel with the names of the fields of its message, except `host`. */
  const channels = [
    ...declarations.matchAll(/^ {2}readonly '(svc-streams:[\w-]+)': (?:Failure<(\w+)>|\{([^}]*)\})/gm),
  ].map(([, channel = '', error, body = '']) => ({
    channel,
    fields:
      error === undefined
        ? [...body.matchAll(/readonly (\w+):/g)]
            .map(([, field = '']) => field)
            .filter((name) => name !== 'host')
        : ['error'],
  }))
  const rows = [
    ...readPage('docs/operate/diagnostics.md').matchAll(/^\| `(svc-streams:[\w-]+)` +\| ([^|]*) \|/gm),
  ].map(([, channel = '', cell = '']) => ({
    channel,
    fields: [...cell.matchAll(/`(\w+)`/g)].map(([, field = '']) => field),
  }))

  it('lists each channel', () => {
    expect(rows.map(({ channel }) => channel).sort()).toEqual(channels.map(({ channel }) => channel).sort())
    expect(rows.length).toBeGreaterThan(15)
  })

  it.each(channels)('lists the fields of $channel', (channel) => {
    expect(rows).toContainEqual(channel)
  })
})

describe('the protocol page', () => {
  const resources = filesBelow('src/wire/http', '.ts').flatMap((file) => namesIn(file, /'(\/[\w/{}]+)'/g))

  it.each(resources)('describes the resource %s', (resource) => {
    expect(readPage('docs/reference/protocol.md')).toContain(`\`GET ${resource}\` returns`)
  })

  it.each(Object.keys(frameTexts))('has a row or a heading for the frame %s', (kind) => {
    const words = kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    expect(readPage('docs/reference/protocol.md')).toMatch(
      new RegExp(`^(?:\\| |#+ )${words}(?: +\\||s?$)`, 'im'),
    )
  })
})
