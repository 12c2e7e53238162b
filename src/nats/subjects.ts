import type { Address } from '../base/domain/topic.js'

/** The version of the messages. A consumer ignores gateways of another version. */
export const protocolVersion = 1

/** The subjects of one service. A gateway has an identifier, which is new for each connection to NATS. */
export interface Subjects {
  /** Discovery requests of consumers. Every gateway answers. */
  readonly gateways: string
  /** Messages of consumers to one gateway. */
  readonly gateway: (id: string) => string
  /** Price updates of one topic by one gateway. */
  readonly price: (id: string, base: Address) => string
  /** When the service had answered the newest probe of one gateway: a subject of the same wildcard as its prices. */
  readonly proof: (id: string) => string
  /**
   * False for the subjects of the service and of NATS itself: a reply to such a subject could forge a price. Also false
   * for subjects longer than any inbox, because a gateway keeps the subject as long as the session.
   */
  readonly isInbox: (subject: string) => boolean
}

/** The prefix of an inbox is an option, and the name of a user is part of its default. */
const maxInboxLength = 512

export const subjectsOf = (service: string): Subjects => ({
  gateways: `${service}.gateways`,
  gateway: (id) => `${service}.gateway.${id}`,
  price: (id, base) => `${service}.price.${id}.${base}`,
  proof: (id) => `${service}.price.${id}.proof`,
  isInbox: (subject) =>
    subject.length <= maxInboxLength && !subject.startsWith(`${service}.`) && !subject.startsWith('$'),
})
