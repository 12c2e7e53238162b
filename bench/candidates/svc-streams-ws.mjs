// The project over ws's message event alone, without the lane below it: its own decoding and sharing, and no more.
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from '../node_modules/.build/index.js'
import { candidate } from './candidate.mjs'
import { overMessages } from './over-messages.mjs'

candidate(async ({ url, onPrice, failed }) => {
  const { origin } = new URL(url.replace('ws:', 'http:'))
  const options = { environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url }
  const client = createClient({ ...options, webSocket: overMessages })
  const handler = (event) => {
    if (isRight(event)) onPrice(event.right.price)
    else failed(event.left.message)
  }

  return (topics) => {
    for (const topic of topics) client.price$(topic).subscribe(handler)
  }
})
