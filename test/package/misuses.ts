import { misuse, type Misuse } from './support/misuse.js'

export const misuses: readonly Misuse[] = [
  // Depth exists only on mainnet, with an address and a key.
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
    'depth$ of a client with a key and unsigned',
    "createClient({ environment: 'mainnet', priceBaseUrl, baseUrl, authKey: '', unsigned: true }).depth$('0xab', 1)",
    /'depth\$' does not exist on type 'PriceClient'/,
  ),
  misuse(
    'depth of an unsigned client on testnet',
    "createClient({ environment: 'testnet', priceBaseUrl, baseUrl, unsigned: true }).depth('0xab')",
    /'depth' does not exist on type 'PriceClient'/,
  ),
  misuse(
    'a header that is a number',
    "createClient({ environment: 'testnet', priceBaseUrl, headers: { 'x-api-key': 1 } })",
    /'number' is not assignable to type 'string'/,
  ),
  misuse(
    'depth$ of a client without a relayer address',
    "createClient({ environment: 'mainnet', priceBaseUrl, authKey: '' }).depth$('0xab', 1000)",
    /'depth\$' does not exist on type 'PriceClient'/,
  ),
  misuse(
    'depth$ of a client whose options are known only at run time',
    "createClient({} as ClientOptions).depth$('0xab', 1000)",
    /'depth\$' does not exist on type 'PriceClient'/,
  ),
  misuse(
    'a client without depth as a Client',
    "export const clientWithDepth: Client = createClient({ environment: 'testnet', priceBaseUrl })",
    /'PriceClient' is missing .* from type 'Client': depth\$, depth/,
  ),

  // Options.
  misuse(
    'an option that does not exist',
    "createClient({ environment: 'testnet', priceBaseUrl, staleafter: 1000 })",
    /'staleafter' does not exist in type 'ClientOptions'/,
  ),
  misuse(
    'a nested option that does not exist',
    "createClient({ environment: 'testnet', priceBaseUrl, reconnect: { attempts: 3 } })",
    /'attempts' does not exist in type 'ReconnectOptions'/,
  ),
  misuse(
    'a time that is a string',
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
  misuse('a missing priceBaseUrl', "createClient({ environment: 'testnet' })", /'priceBaseUrl' is missing/),
  misuse('a missing environment', 'createClient({ priceBaseUrl })', /'environment' is missing/),
  misuse(
    'an assignment to an option',
    'export const write = (options: ClientOptions) => (options.linger = 0)',
    /'linger' .*read-only/,
  ),

  // Arguments.
  misuse('a topic without 0x', "client.price$('svc-82af')", /'"svc-82af"' is not assignable/),
  misuse('a topic without a service', "client.price('0x82af')", /'"0x82af"' is not assignable/),
  misuse(
    'a topic that is an arbitrary string',
    "client.price$(String('svc-0x82af'))",
    /'string' is not assignable to parameter of type '`/,
  ),
  misuse('a mint without 0x', "client.depth$('82af', 1000)", /'"82af"' is not assignable/),
  misuse('a topic as a mint', "client.depth('svc-0x82af')", /'"svc-0x82af"' is not assignable/),
  misuse(
    'an interval that is a string',
    "client.depth$('0x82af', '1000')",
    /'string' is not assignable to parameter of type 'number'/,
  ),
  misuse('a missing interval', "client.depth$('0x82af')", /Expected 2 arguments/),
  misuse('a request to sign without a path', "signRequest({ key: '', headers: {} })", /'path' is missing/),
  misuse(
    'bytes to decode',
    'decodeDepth(new Uint8Array())',
    /'Uint8Array.*' is not assignable to parameter of type 'string'/,
  ),

  // Tokens.
  misuse(
    'a token address without 0x',
    "defineTokens({ WETH: { address: '82af', decimals: 18 } })",
    /'"82af"' is not assignable to type '`0x/,
  ),
  misuse(
    'decimals that are a string',
    "defineTokens({ WETH: { address: '0x82af', decimals: '18' } })",
    /'string' is not assignable to type 'number'/,
  ),
  misuse(
    'a symbol that is not defined',
    "export const weth = defineTokens({ WETH: { address: '0x82af', decimals: 18 } }).WEHT",
    /'WEHT' does not exist on type 'DefinedTokens<"WETH">'/,
  ),
  misuse(
    'a quantity to format that is a number',
    'formatQuantity(1, 18)',
    /'number' is not assignable to parameter of type 'bigint'/,
  ),

  // Errors.
  misuse(
    'a match without a branch for each error',
    'matchError(outage, { Stale: () => 0 })',
    /'Disconnected' is missing/,
  ),
  misuse(
    'a match with a case for an error that cannot occur',
    'matchError(outage, { Stale: () => 0, Timeout: () => 0, _: () => 0 })',
    /'Timeout' does not exist in type/,
  ),
  misuse(
    'a default case with a field of an error that another case takes',
    'matchError(outage, { Stale: () => 0, _: (e) => e.silentForMs })',
    /'silentForMs' does not exist on type 'Disconnected'/,
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
    'a switch without a case for each error',
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
    'an error that is not of the library',
    "renderError(new Error('no'))",
    /Property '_tag' is missing in type 'Error'/,
  ),
  misuse(
    'an event that is used as a price',
    'client.price$(price.topic).subscribe((value) => value.price)',
    /'price' does not exist on type 'Either</,
  ),
  misuse(
    'an Either that is used as a topic',
    "client.price$(parseTopic('svc-0xab'))",
    /'Either<InvalidTopic, .*' is not assignable/,
  ),

  // Values of the library are readonly.
  misuse('an assignment to a price', 'price.price = 1', /'price' .*read-only/),
  misuse('an assignment to a side of a depth', 'depth.buy.totalQuantity = 1n', /'totalQuantity' .*read-only/),
  misuse('an assignment to an error', "outage.message = ''", /'message' .*read-only/),
  misuse('an assignment to the client', 'client.chainId = 42161', /'chainId' .*read-only/),
  misuse(
    'an assignment to a stream of the client',
    'client.status$ = client.status$',
    /'status\$' .*read-only/,
  ),
  misuse('an assignment to a method of the client', 'client.price$ = client.price$', /'price\$' .*read-only/),
  misuse(
    'a push into an array of an error',
    "if (priceError._tag === 'DecodeError') priceError.issues.push()",
    /'push' does not exist/,
  ),
  misuse(
    'arithmetic of a quantity and a number',
    'export const half = depth.buy.totalQuantity / 2',
    /cannot be applied to types 'bigint' and/,
  ),
  misuse('next on a stream of the client', 'client.errors$.next(undefined)', /'next' does not exist/),

  // The other entry points.
  misuse(
    'a test client over a stream of another type',
    'createTestClient({ prices: { a: client.status$ } })',
    /'Stream<ConnectionStatus>' is not assignable/,
  ),
  misuse(
    'a quantity of a builder that is a number',
    "aDepth('0xab', { buy: { totalQuantity: 1, totalQuantityUsd: 1 } })",
    /'number' is not assignable to type 'bigint'/,
  ),
  misuse('a price of a builder without 0x', "aPrice('svc-ab', 1)", /'"svc-ab"' is not assignable/),
  misuse(
    'a fault that does not exist',
    'startSimulator({ faults: { confuse: true } })',
    /'confuse' does not exist in type 'Faults'/,
  ),
  misuse(
    'options spread from a promise of a simulator',
    "createClient({ environment: 'testnet', ...startSimulator() })",
    /'priceBaseUrl' is missing/,
  ),
]
