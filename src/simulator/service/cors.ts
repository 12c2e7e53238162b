import type { IncomingMessage, ServerResponse } from 'node:http'

/** Allows pages of any origin to read a response, with all its headers. */
export const allowAnyOrigin = (response: ServerResponse): void => {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', '*')
}

/** Allows the announced request, with the headers that it will have. */
export const answerPreflight = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  allowAnyOrigin(response)
  response.setHeader('Access-Control-Allow-Methods', 'GET')
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '')
  response.setHeader('Access-Control-Allow-Private-Network', 'true')
  response.writeHead(204).end()
}
