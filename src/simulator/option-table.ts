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
    meaning: 'Port of the relayer API and of prices over HTTP; 0 picks a free port',
    default: 0,
  }),
  wsPort: portOption({ meaning: 'Port of live prices over WebSocket; 0 picks a free port', default: 0 }),
  market: checkedOption<Market | readonly Market[]>(
    'object',
    {
      expected: 'a market or an array of markets, such as recordedMarket()',
      holds: (value) => [value].flat().every(isMarket),
    },
    {
      meaning: 'Source of prices; several markets are combined',
      defaultText: '`recordedMarket()`, or `randomWalk({ tokens, seed, tick })` if one of these is given',
    },
  ),
  tokens: tokensOption,
  seed: seedOption,
  tick: tickOption,
  repeat: timerOption({
    meaning: 'Time without a change after which a price is published again',
    default: 10_000,
  }),
  authKey: checkedOption<string>(
    'string',
    {
      expected: 'a base64 string of at least one byte; omit it for a random key',
      holds: (value) =>
        typeof value === 'string' && base64.test(value.replaceAll('-', '+').replaceAll('_', '/')),
      secret: true,
    },
    { meaning: 'Key that depth requests must be signed with, in base64', defaultText: '32 random bytes' },
  ),
  service: stringOption(
    /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
    'letters and digits, with single hyphens or underscores between them',
    { meaning: 'Name of the service: prefix of topics and of signed headers', default: 'svc' },
  ),
  cors: flagOption({
    meaning: 'Answers browsers of any origin, preflight requests included',
    default: false,
  }),
  faults: checkedOption<Faults>(
    'object',
    { expected: 'an object of faults', holds: isObject },
    { meaning: 'Faults from the start', defaultText: 'none' },
  ),
  signal: checkedOption<Signal>(
    'object',
    { expected: 'an AbortSignal', holds: (value) => value instanceof AbortSignal },
    { meaning: 'Closes the simulator when aborted' },
  ),
} satisfies OptionTable<SimulatorOptions>
