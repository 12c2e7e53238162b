import { combinedMarket, randomWalk, recordedMarket, type Market } from '../../simulator/index.js'

const randomTokens = [
  { address: '0x912ce59144191c1204e64559fe8253a0e49e6548', symbol: 'ARB', price: 0.5312 },
  { address: '0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a', symbol: 'GMX', price: 26.41 },
  { address: '0xf97f4df75117a78c1a5a0dbb814af92458539fb4', symbol: 'LINK', price: 10.37 },
] as const

/** The market of the demonstration: the recorded market, and three random walks. */
export const demonstrationMarket = (): Market =>
  combinedMarket(recordedMarket(), randomWalk({ tokens: randomTokens, seed: 7, tick: 300 }))

/** A token that the simulator rejects until the demonstration lists it. */
export const rejectedToken = {
  address: '0x25d887ce7a35172c62febfd67a1856f20faebb00',
  symbol: 'PEPE',
  decimals: 18,
  price: 0.4821,
} as const
