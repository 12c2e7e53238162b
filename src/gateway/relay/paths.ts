// The paths of the service's HTTP API (section 4 of its documentation). A path is neither decoded nor normalised.

const depthPath = /^\/v0\/order_book\/depth\/([^/?]+)$/
const pricePath = /^\/price\/([^/?]+)$/

/** The mint of a depth request; `undefined` for another path. `path`: without its query. */
export const depthMintOf = (path: string): string | undefined => depthPath.exec(path)?.[1]

/** The topic of a price request; `undefined` for another path. `path`: without its query. */
export const priceTopicOf = (path: string): string | undefined => pricePath.exec(path)?.[1]
