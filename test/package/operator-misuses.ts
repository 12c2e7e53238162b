import { misuse, type Misuse } from './support/misuse.js'

export const operatorMisuses: readonly Misuse[] = [
  misuse(
    'combineFresh without a limit',
    'combineFresh({ eth: client.price$(price.topic) }, {})',
    /'{}' is not assignable to parameter of type 'CombineFreshOptions</,
  ),
  misuse(
    'the error of a leg that has no value',
    'combineFresh({ eth: client.price$(price.topic) }, { maxSkew: 1 }).pipe(tapLeft((fault) => fault.error))',
    /'error' does not exist on type 'NotFresh</,
  ),
  misuse(
    'the name of a leg that does not exist',
    "combineFresh({ eth: client.price$(price.topic) }, { maxSkew: 1 }).pipe(filterRight(() => true), lefts(), filter(({ leg }) => leg === 'btc'))",
    /'"eth"' and '"btc"' have no overlap/,
  ),
  misuse(
    'a function over merged streams with a field of one of them',
    'merge(client.price$(price.topic), client.depth$(depth.mint, 1000)).pipe(mapRight((value) => value.topic))',
    /'topic' does not exist on type 'Depth \| Price'|'topic' does not exist on type 'Price \| Depth'/,
  ),
  misuse(
    'combineFresh over values that are not an Either',
    'combineFresh({ eth: client.price$(price.topic).pipe(rights()) }, { maxSkew: 1 })',
    /'Price' is not assignable to type 'Either</,
  ),
  misuse(
    'a time of an operator that is a string',
    "client.price$(price.topic).pipe(freshWithin('1s'))",
    /'string' is not assignable to parameter of type 'number'/,
  ),
  misuse(
    'candles of strings',
    'client.price$(price.topic).pipe(mapRight(String), candles(1000))',
    /Type 'string' is not assignable to type 'Priced'/,
  ),
  misuse(
    'candles of past prices',
    "client.price$(price.topic).pipe(mapRight(({ topic, price }) => ({ _tag: 'PastPrice', topic, price, at: 0 }) as const), candles(1000))",
    /Type '"PastPrice"' is not assignable to type/,
  ),
  misuse(
    'a stream of events as a stream of prices',
    'export const prices$: Observable<Price> = client.price$(price.topic)',
    /Either<PriceError, Price>.* is not assignable to type 'Observable<Price>'/,
  ),
]
