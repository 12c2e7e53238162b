import { invalidRequestText } from './error-texts.js'

const methods = ['subscribe', 'unsubscribe'] as const

type Method = (typeof methods)[number]

/** A request over the WebSocket (section 4.3 of the service's documentation). */
export interface ClientMessage {
  readonly method: Method
  readonly topic: string
}

/** Parses a text frame. Returns the error text to send back if the frame is not a valid request. */
export const parseClientMessage = (text: string): ClientMessage | string => {
  const value = jsonOrUndefined(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalidRequestText('expected a JSON object')
  }
  const { method, topic } = value as Readonly<Record<string, unknown>>
  if (!isMethod(method)) return invalidRequestText(`expected method to be ${methods.join(' or ')}`)
  return typeof topic === 'string' ? { method, topic } : invalidRequestText('expected topic to be a string')
}

const isMethod = (value: unknown): value is Method => methods.some((method) => method === value)

const jsonOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
