/** How long an action or a wait may take, unless the program or the command line says otherwise. Seconds. */
export const defaultTimeoutSeconds = 600;

/** The longest that they may say. Seconds. */
export const longestTimeoutSeconds = 86_400;
