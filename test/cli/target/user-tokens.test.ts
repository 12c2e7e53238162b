import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { attempt } from '../../../src/cli/target/read-file.js'
import * as tokens from '../../../src/cli/target/select-tokens.js'
import { newFile } from '../support/new-file.js'

const readTokensFile = (path: string) => attempt(() => tokens.readTokensFile(path))
const parseTokensVariable = (text: string) => attempt(() => tokens.parseTokensVariable(text))

describe('the file of --tokens', () => {
  const problemOf = (text: string): string => {
    const file = newFile('tokens.json', text)
    const tokens = readTokensFile(file)
    return isLeft(tokens) ? tokens.left.replace(file, 'FILE') : 'none'
  }

  test('returns the tokens of a file', () => {
    const weth = { symbol: 'WETH', address: '0x82aF', topic: 'svc-0x82aF', decimals: 18 }
    const text = '{ "WETH": { "address": "0x82aF", "decimals": 18, "name": "Wrapped Ether" } }'
    expect(readTokensFile(newFile('tokens.json', text))).toEqual(right([weth]))
    expect(readTokensFile(newFile('tokens.json', `\ufeff${text}`))).toEqual(right([weth]))
    expect(readTokensFile(newFile('tokens.json', '{}'))).toEqual(right([]))
  })

  test('names the file that cannot be read', () => {
    expect(readTokensFile('/no/such/file')).toEqual({
      _tag: 'Left',
      left: '--tokens: /no/such/file does not exist',
    })
  })

  test.each([
    ['', /^--tokens: FILE: expected JSON: .*Unexpected (?:end of JSON input|EOF)$/],
    ['{ "WETH": }', /^--tokens: FILE: expected JSON: .*Unexpected token/],
    ['[]', '--tokens: FILE: tokens: expected an object like { WETH: { address, decimals } }, got an array'],
    ['null', '--tokens: FILE: tokens: expected an object like { WETH: { address, decimals } }, got null'],
    [
      '{ "WETH": "0x82af" }',
      '--tokens: FILE: WETH: expected an object like { address, decimals }, got "0x82af"',
    ],
    [
      '{ "WETH": { "address": "82af", "decimals": 18 } }',
      '--tokens: FILE: WETH.address: expected 0x and hex digits, got "82af"',
    ],
    [
      '{ "AB": { "address": "0xab", "decimals": 0 }, "WETH": { "address": "0x82af", "decimals": "18" } }',
      '--tokens: FILE: WETH.decimals: expected a whole number from 0 to 255, got "18"',
    ],
    [
      '{ "WETH": { "address": "0x82af", "decimal": 18 } }',
      '--tokens: FILE: WETH.decimal: did you mean WETH.decimals?',
    ],
    [
      '{ "W ETH": { "address": "0x82af", "decimals": 18 } }',
      '--tokens: FILE: expected a symbol without white space or invisible characters, got "W ETH"',
    ],
    [
      '{ "": { "address": "0x82af", "decimals": 18 } }',
      '--tokens: FILE: expected a symbol without white space or invisible characters, got ""',
    ],
    [
      '{ "\\u202eETH": { "address": "0x82af", "decimals": 18 } }',
      '--tokens: FILE: expected a symbol without white space or invisible characters, got "',
    ],
    [
      '{ "svc-0xab": { "address": "0x82af", "decimals": 18 } }',
      '--tokens: FILE: expected a symbol, not an address or a topic, got "svc-0xab"',
    ],
  ])('says what is wrong in %j', (text, problem) => {
    if (typeof problem === 'string') expect(problemOf(text)).toContain(problem)
    else expect(problemOf(text)).toMatch(problem)
  })
})

describe('SVC_TOKENS', () => {
  test('reads addresses, topics, and symbols with an address', () => {
    expect(parseTokensVariable(' ,0xab, svc-0xCD,ETH = 0xef ,')).toEqual(
      right([{ address: '0xab' }, { address: '0xCD' }, { address: '0xef', symbol: 'ETH' }]),
    )
  })

  test.each([
    ...['WETH', 'WETH:0x82af', 'WETH=0x82zz', 'WETH 0x82af', 'WETH=', 'WETH=82af', 'WETH:82af', 'a=b=0xab'],
    ...['0x82zz', '0x', '0xab;0xcd', 'WETH=svc-', 'svc-0xzz', 'WETH0x82af', '='],
  ])('names the malformed entry %s and the expected form', (entry) => {
    expect(parseTokensVariable(`0xab,${entry}`)).toEqual(
      left(
        `SVC_TOKENS: invalid entry "${entry}": expected SYMBOL=0x…, or a contract address, 0x and hex digits, or a topic, ` +
          'svc-0x and hex digits',
      ),
    )
  })

  test('prints a malformed entry on one line, without control characters', () => {
    expect(parseTokensVariable('E\u001b[2J\n=no')).toMatchObject({
      left: expect.stringContaining('invalid entry "E [2J =no"') as string,
    })
  })
})
