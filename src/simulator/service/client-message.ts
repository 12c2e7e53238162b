import { invalidRequest } from './error-text.js'

/** What a client may ask for (section 4.3 of the service's documentation). */
export interface ClientMessage {
  readonly method: 'subscribe' | 'unsubscribe'
  readonly topic: string
}

/** A client's text frame as a message, or else the error text that answers it. */
export const readClientMessage = (text: string): ClientMessage | string => {
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalidRequest('expected a JSON object')
  }
  const { method, topic } = value as Readonly<Record<string, unknown>>
  if (method !== 'subscribe' && method !== 'unsubscribe') {
    return invalidRequest('expected method to be subscribe or unsubscribe')
  }
  return typeof topic === 'string' ? { method, topic } : invalidRequest('expected topic to be a string')
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
