import type { Topic } from '../domain/topic.js'

/** The frame that subscribes to a topic (section 4.3 of the service's documentation). */
export const subscribeFrame = (topic: Topic): string => JSON.stringify({ method: 'subscribe', topic })

/** The frame that unsubscribes from a topic (section 4.3 of the service's documentation). */
export const unsubscribeFrame = (topic: Topic): string => JSON.stringify({ method: 'unsubscribe', topic })
