import type { Topic } from '../domain/topic.js'

/** The frame that asks for a topic's prices (section 4.3 of the service's documentation). */
export const subscribeFrame = (topic: Topic): string => JSON.stringify({ method: 'subscribe', topic })

/** The frame that ends a topic's subscription. */
export const unsubscribeFrame = (topic: Topic): string => JSON.stringify({ method: 'unsubscribe', topic })
