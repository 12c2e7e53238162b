export type Handlers = Readonly<Record<string, (params: never) => unknown>>

export declare const handleRequests: (handlers: Handlers) => void
