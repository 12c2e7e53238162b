export interface Misuse {
  readonly name: string
  readonly code: string
  /** In what the compiler says, once. */
  readonly error: RegExp
}

const imports = `
import { createClient, decodeDepth, matchError, parseTopic, renderError, signRequest } from 'svc-streams'
import type { ClientOptions, Client, Depth, DepthError, Price, PriceError, Stale, Disconnected } from 'svc-streams'
import { candles, combineFresh, freshWithin, mapRight, rights } from 'svc-streams/operators'
import { createTestClient, price as aPrice, depth as aDepth } from 'svc-streams/testing'
import { startSimulator } from 'svc-streams/simulator'
import type { Observable } from 'rxjs'
declare const client: Client
declare const price: Price
declare const depth: Depth
declare const priceError: PriceError
declare const outage: Stale | Disconnected
const priceBaseUrl = 'https://prices.example:3000'
const baseUrl = 'https://relayer.example:3000'
`

const misuse = (name: string, code: string, error: RegExp): Misuse => ({
  name,
  code: `${imports}\n${code}\n`,
  error,
})

export const misuses: readonly Misuse[] = [
  // Depth exists on mainnet alone, with an address and a key.
  misuse(
    'depth$ of a client on testnet',
    "createClient({ environment: 'testnet', priceBaseUrl, baseUrl, authKey: '' }).depth$('0xab', 1000)",
    /'depth\$' does not exist on type 'PriceClient'/,
  ),
  misuse(
    'depth of a client without a key',
    "createClient({ environment: 'mainnet', priceBaseUrl, baseUrl }).depth('0xab')",
    /'depth' does not exist on type 'PriceClient'/,
  ),
  misuse(
    'depth$ of a client without a relayer address',
    "createClient({ environment: 'mainnet', priceBaseUrl, authKey: '' }).depth$('0xab', 1000)",
    /'depth\$' does not exist on type 'PriceClient'/,
  ),
  misuse(
    'depth$ of a client whose options are known at run time alone',
    "createClient({} as ClientOptions).depth$('0xab', 1000)",
    /'depth\$' does not exist on type 'PriceClient'/,
  ),
  misuse(
    'a client without depth where one with depth is needed',
    "export const one: Client = createClient({ environment: 'testnet', priceBaseUrl })",
    /'PriceClient' is missing .* from type 'Client': depth\$, depth/,
  ),

  // Options.
  misuse(
    'an option that does not exist',
    "createClient({ environment: 'testnet', priceBaseUrl, staleafter: 1000 })",
    /'staleafter' does not exist in type 'ClientOptions'/,
  ),
  misuse(
    'an option of an option that does not exist',
    "createClient({ environment: 'testnet', priceBaseUrl, reconnect: { attempts: 3 } })",
    /'attempts' does not exist in type 'ReconnectOptions'/,
  ),
  misuse(
    'a time that is a text',
    "createClient({ environment: 'testnet', priceBaseUrl, staleAfter: '30s' })",
    /'string' is not assignable to type 'number'/,
  ),
  misuse(
    'an option that is undefined',
    "createClient({ environment: 'testnet', priceBaseUrl, linger: undefined })",
    /'undefined' is not assignable to type 'number'/,
  ),
  misuse(
    'an environment that does not exist',
    "createClient({ environment: 'devnet', priceBaseUrl })",
    /'"devnet"' is not assignable to type 'Environment'/,
  ),
  misuse('no address of prices', "createClient({ environment: 'testnet' })", /'priceBaseUrl' is missing/),
  misuse('no environment', 'createClient({ priceBaseUrl })', /'environment' is missing/),
  misuse(
    'assigning to an option',
    'export const write = (options: ClientOptions) => (options.linger = 0)',
    /'linger' .*read-only/,
  ),

  // Arguments.
  misuse('a topic without 0x', "client.price$('svc-82af')", /'"svc-82af"' is not assignable/),
  misuse('a topic without a service', "client.price('0x82af')", /'"0x82af"' is not assignable/),
  misuse(
    'a topic that is any text',
    "client.price$(String('svc-0x82af'))",
    /'string' is not assignable to parameter of type '`/,
  ),
  misuse('a mint without 0x', "client.depth$('82af', 1000)", /'"82af"' is not assignable/),
  misuse('a topic as a mint', "client.depth('svc-0x82af')", /'"svc-0x82af"' is not assignable/),
  misuse(
    'an interval that is a text',
    "client.depth$('0x82af', '1000')",
    /'string' is not assignable to parameter of type 'number'/,
  ),
  misuse('no interval', "client.depth$('0x82af')", /Expected 2 arguments/),
  misuse('a request to sign without a path', "signRequest({ key: '', headers: {} })", /'path' is missing/),
  misuse(
    'bytes to decode',
    'decodeDepth(new Uint8Array())',
    /'Uint8Array.*' is not assignable to parameter of type 'string'/,
  ),

  // Errors.
  misuse(
    'a match that leaves an error out',
    'matchError(outage, { Stale: () => 0 })',
    /'Disconnected' is missing/,
  ),
  misuse(
    'a match in which a branch takes another error',
    'matchError(outage, { Stale: (e: Disconnected) => e.code, Disconnected: (e) => e.code })',
    /'Stale' is (?:not assignable to|missing .* from) type 'Disconnected'/,
  ),
  misuse(
    'a branch with a field of another error',
    'matchError(outage, { Stale: (e) => e.code, Disconnected: (e) => e.code })',
    /'code' does not exist on type 'Stale'/,
  ),
  misuse(
    'a switch that leaves an error out',
    `export const severity = (error: Stale | Disconnected): number => {
  switch (error._tag) {
    case 'Stale':
      return 1
  }
}`,
    /lacks ending return statement/,
  ),
  misuse(
    'a tag that the union does not have',
    "export const unauthorized = priceError._tag === 'Unauthorized'",
    /'"Unauthorized"' have no overlap/,
  ),
  misuse(
    'an error of somebody else',
    "renderError(new Error('no'))",
    /'Error' is not assignable to parameter of type 'AnyError'/,
  ),
  misuse(
    'an error that is taken as a price',
    'client.price$(price.topic).subscribe((value) => value.price)',
    /'price' does not exist on type 'Either</,
  ),
  misuse(
    'an error that is taken as a topic',
    "client.price$(parseTopic('svc-0xab'))",
    /'Either<InvalidTopic, .*' is not assignable/,
  ),

  // What is given is given.
  misuse('assigning to a price', 'price.price = 1', /'price' .*read-only/),
  misuse('assigning to a side of a depth', 'depth.buy.totalQuantity = 1n', /'totalQuantity' .*read-only/),
  misuse('assigning to an error', "outage.message = ''", /'message' .*read-only/),
  misuse('assigning to the client', 'client.chainId = 42161', /'chainId' .*read-only/),
  misuse('assigning to a stream of the client', 'client.status$ = client.status$', /'status\$' .*read-only/),
  misuse('assigning to a method of the client', 'client.price$ = client.price$', /'price\$' .*read-only/),
  misuse(
    'pushing into a list of an error',
    "if (priceError._tag === 'DecodeError') priceError.issues.push()",
    /'push' does not exist/,
  ),
  misuse(
    'a quantity in plain numbers',
    'export const half = depth.buy.totalQuantity / 2',
    /cannot be applied to types 'bigint' and/,
  ),
  misuse('next on a stream of the client', 'client.errors$.next(undefined)', /'next' does not exist/),

  // The other doors.
  misuse(
    'combineFresh without a skew',
    'combineFresh({ eth: client.price$(price.topic) }, {})',
    /'maxSkew' is missing/,
  ),
  misuse(
    'combineFresh over bare values',
    'combineFresh({ eth: client.price$(price.topic).pipe(rights()) }, { maxSkew: 1 })',
    /'Price' is not assignable to type 'Either</,
  ),
  misuse(
    'a time of an operator that is a text',
    "client.price$(price.topic).pipe(freshWithin('1s'))",
    /'string' is not assignable to parameter of type 'number'/,
  ),
  misuse(
    'candles of texts',
    'client.price$(price.topic).pipe(mapRight(String), candles(1000))',
    /Pick<Price, "price">/,
  ),
  misuse(
    'prices where errors may come',
    'export const prices$: Observable<Price> = client.price$(price.topic)',
    /Either<PriceError, Price>.* is not assignable to type 'Observable<Price>'/,
  ),
  misuse(
    'a test client of something else',
    'createTestClient({ prices: { a: client.status$ } })',
    /'Observable<ConnectionStatus>' is not assignable/,
  ),
  misuse(
    'a built quantity that is a number',
    "aDepth('0xab', { buy: { totalQuantity: 1, totalQuantityUsd: 1 } })",
    /'number' is not assignable to type 'bigint'/,
  ),
  misuse('a built price without 0x', "aPrice('svc-ab', 1)", /'"svc-ab"' is not assignable/),
  misuse(
    'a fault that does not exist',
    'startSimulator({ faults: { confuse: true } })',
    /'confuse' does not exist in type 'Faults'/,
  ),
  misuse(
    'a simulator that is not there yet',
    "createClient({ environment: 'testnet', ...startSimulator() })",
    /'priceBaseUrl' is missing/,
  ),
]
