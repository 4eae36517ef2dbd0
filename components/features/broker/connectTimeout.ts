/** Smallest value of broker.connectTimeout in seconds. 0 would be the system's default, which is minutes. */
export const SHORTEST_CONNECT_TIMEOUT = 0.1;
