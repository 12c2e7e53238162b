import { expect, test } from 'vitest'
import { coloursFor } from '../../../src/cli/output/colours.js'

const isColoured = (isTTY: boolean, environment: Readonly<Record<string, string>>): boolean =>
  coloursFor({ isTTY }, environment).failed('x') !== 'x'

test.each([
  ['a terminal', true, {}, true],
  ['a pipe', false, {}, false],
  ['a pipe of a CI', false, { CI: 'true' }, false],
  ['a terminal without colours', true, { TERM: 'dumb' }, false],
  ['NO_COLOR on a terminal', true, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
  ['FORCE_COLOR in a pipe', false, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, false],
  ['NO_COLOR and FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
])('colours for %s: %j, %j: %j', (_, isTTY, environment, coloured) => {
  expect(isColoured(isTTY, environment)).toBe(coloured)
})
