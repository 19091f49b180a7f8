/* SPDX-License-Identifier: GPL-2.0 */
/* SHA-256 (FIPS 180-4), of what is in memory. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

void sha256(const void *data, size_t len, uint8_t sum[SHA256_BYTES]);

#endif /* SHA256_H */
