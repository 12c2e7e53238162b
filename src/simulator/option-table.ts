import type { Signal } from '../domain/signal.js'
import { portOption, timerOption } from '../option-kinds/number-option.js'
import { checkedOption, flagOption, stringOption, type OptionTable } from '../option-kinds/option.js'
import type { Faults } from './faults/faults.js'
import type { Market } from './market/market.js'
import { seedOption, tickOption, tokensOption } from './market/random-walk.js'
import type { SimulatorOptions } from './options.js'

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isMarket = (value: unknown): boolean =>
  isObject(value) && 'open' in value && 'tokens' in value && Array.isArray(value.tokens)

/** Groups of four digits, in either alphabet. The last group may be short and unpadded, but not a single digit. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)$/

export const simulatorTable = {
  httpPort: portOption({
    default: 0,
  }),
  wsPort: portOption({ default: 0 }),
  market: checkedOption<Market | readonly Market[]>('object', {
    expected: 'a market or an array of markets, such as recordedMarket()',
    holds: (value) => [value].flat().every(isMarket),
  }),
  tokens: tokensOption,
  seed: seedOption,
  tick: tickOption,
  repeat: timerOption({
    default: 10_000,
  }),
  authKey: checkedOption<string>('string', {
    expected: 'a base64 string of at least one byte; omit it for a random key',
    holds: (value) =>
      typeof value === 'string' && base64.test(value.replaceAll('-', '+').replaceAll('_', '/')),
    secret: true,
  }),
  service: stringOption(
    /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
    'letters and digits, with single hyphens or underscores between them',
    { default: 'svc' },
  ),
  cors: flagOption({
    default: false,
  }),
  faults: checkedOption<Faults>('object', { expected: 'an object of faults', holds: isObject }),
  signal: checkedOption<Signal>('object', {
    expected: 'an AbortSignal',
    holds: (value) => value instanceof AbortSignal,
  }),
} satisfies OptionTable<SimulatorOptions>
