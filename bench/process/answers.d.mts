export type Handlers = Readonly<Record<string, (data: never) => unknown>>

export declare const answers: (handlers: Handlers) => void
