// The project, from its public door, with what its users write.
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from '../node_modules/.build/index.js'
import { candidate } from './candidate.mjs'

const connect = (url, options) => {
  const { origin } = new URL(url.replace('ws:', 'http:'))
  return createClient({ environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url, ...options })
}

const handlerOf = ({ onPrice, failed }) => {
  return (event) => {
    if (isRight(event)) onPrice(event.right.price)
    else failed(event.left.message)
  }
}

/** Each subscriber looks at what it is given. */
export const looking = (options) => {
  candidate(async ({ url, ...told }) => {
    const client = connect(url, options)
    const handler = handlerOf(told)

    return (topics, subscribers) => {
      for (const topic of topics) {
        for (let n = 0; n < subscribers; n += 1) client.price$(topic).subscribe(handler)
      }
    }
  })
}

/** Each subscriber keeps what it was given last: nothing that is delivered dies young. */
export const keeping = (options) => {
  candidate(async ({ url, ...told }) => {
    const client = connect(url, options)
    const handler = handlerOf(told)
    const kept = []

    return (topics) => {
      topics.forEach((topic, index) => {
        client.price$(topic).subscribe((event) => {
          kept[index] = event
          handler(event)
        })
      })
    }
  })
}
