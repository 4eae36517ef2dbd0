/** Formats seconds for a message: `45 s`, `12 min`, `3 h 20 min`. */
export function describeSeconds(seconds: number): string {
    if (seconds < 90) {
        return `${Math.round(seconds)} s`;
    }
    const minutes = Math.round(seconds / 60);
    if (minutes < 90) {
        return `${minutes} min`;
    }
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
