// The project, from its public door, with what its users write.
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from '../node_modules/.build/index.js'
import { candidate } from './candidate.mjs'

candidate(async ({ url, onPrice, failed }) => {
  const { origin } = new URL(url.replace('ws:', 'http:'))
  const client = createClient({ environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url })
  const handler = (event) => {
    if (isRight(event)) onPrice(event.right.price)
    else failed(event.left.message)
  }

  return (topics, subscribers) => {
    for (const topic of topics) {
      for (let n = 0; n < subscribers; n += 1) client.price$(topic).subscribe(handler)
    }
  }
})
