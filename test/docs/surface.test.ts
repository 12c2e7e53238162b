import { describe, expect, it } from 'vitest'
import { frameTexts } from '../codec/support/frame-texts.js'
import { readPage } from './support/block.js'

/** The names of the declarations in a source file that a pattern finds. */
const namesIn = (file: string, pattern: RegExp): readonly string[] => [
  ...new Set([...readPage(file).matchAll(pattern)].map(([, name = '']) => name)),
]

describe('the table of members in the README', () => {
  it.each(namesIn('src/client/client.ts', /^ {2}readonly ([\w$]+):/gm))('lists %s', (member) => {
    const name = member.replace('$', '\\$')
    expect(readPage('README.md')).toMatch(new RegExp(`^\\| \`${name}(\\(.*\\))?\` `, 'm'))
  })
})

describe('the protocol page', () => {
  it.each(Object.keys(frameTexts))('has a row or a heading for the frame %s', (kind) => {
    const words = kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    expect(readPage('docs/protocol.md')).toMatch(new RegExp(`^(?:\\| |#+ )${words}(?: +\\||s?$)`, 'im'))
  })
})
