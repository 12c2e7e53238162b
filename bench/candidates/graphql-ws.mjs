// graphql-ws: the server speaks graphql-transport-ws, with a subscription for each topic.
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { candidate } from './candidate.mjs'

const query = 'subscription ($topic: String!) { price(topic: $topic) { topic price } }'

candidate(async ({ url, onPrice, failed }) => {
  let lastId = 0
  // Short ids, as a user would choose who cares for the bytes: the default is a UUID.
  const client = createClient({ url, webSocketImpl: WebSocket, generateID: () => String(++lastId) })

  return (topics) => {
    for (const topic of topics) {
      client.subscribe(
        { query, variables: { topic } },
        {
          next: ({ data }) => onPrice(data.price.price),
          error: (error) => failed(String(error)),
          complete: () => failed('completion'),
        },
      )
    }
  }
})
