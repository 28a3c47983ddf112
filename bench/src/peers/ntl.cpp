// NTL's GF(2^n) behind C functions. A `Field` holds two vectors of operands and one of results. The
// loops are in C++, so that no figure includes calls between the languages. An element's bytes are
// little-endian, as in NTL's own conversions.

#include <NTL/GF2E.h>
#include <NTL/GF2EX.h>
#include <NTL/GF2X.h>
#include <NTL/vec_GF2E.h>

#include <cstddef>
#include <cstdint>

namespace {

struct Field {
    NTL::GF2EContext context;
    NTL::vec_GF2E a, b, out;
    // The polynomial that is evaluated or interpolated.
    NTL::GF2EX polynomial;
    long bytes;
};

NTL::GF2X modulus(long bits, const std::uint32_t exponents[3]) {
    NTL::GF2X f;
    NTL::SetCoeff(f, bits);
    for (int i = 0; i < 3; i++) NTL::SetCoeff(f, exponents[i]);
    NTL::SetCoeff(f, 0);
    return f;
}

void read(NTL::vec_GF2E &to, const unsigned char *from, long bytes) {
    for (long i = 0; i < to.length(); i++) {
        NTL::conv(to[i], NTL::GF2XFromBytes(from + i * bytes, bytes));
    }
}

}  // namespace

extern "C" {

// Creates a field with two vectors of `count` elements each.
Field *bench_ntl_new(long bits, const std::uint32_t exponents[3], long count, const unsigned char *a, const unsigned char *b) {
    Field *field = new Field{};
    field->context = NTL::GF2EContext(modulus(bits, exponents));
    field->context.restore();
    field->bytes = bits / 8;
    field->a.SetLength(count);
    field->b.SetLength(count);
    field->out.SetLength(count);
    read(field->a, a, field->bytes);
    read(field->b, b, field->bytes);
    return field;
}

void bench_ntl_free(Field *field) {
    field->context.restore();
    delete field;
}

// Makes the field current. NTL has one current field in each thread.
void bench_ntl_enter(const Field *field) { field->context.restore(); }

void bench_ntl_result(const Field *field, unsigned char *to) {
    for (long i = 0; i < field->out.length(); i++) {
        NTL::BytesFromGF2X(to + i * field->bytes, NTL::rep(field->out[i]), field->bytes);
    }
}

void bench_ntl_multiply(Field *field) {
    for (long i = 0; i < field->out.length(); i++) NTL::mul(field->out[i], field->a[i], field->b[i]);
}

void bench_ntl_multiply_dependent(Field *field) {
    field->out[0] = field->a[0];
    for (long i = 1; i < field->out.length(); i++) NTL::mul(field->out[i], field->out[i - 1], field->b[i]);
}

void bench_ntl_square(Field *field) {
    for (long i = 0; i < field->out.length(); i++) NTL::sqr(field->out[i], field->a[i]);
}

void bench_ntl_invert(Field *field) {
    for (long i = 0; i < field->out.length(); i++) NTL::inv(field->out[i], field->a[i]);
}

void bench_ntl_sum_of_products(Field *field) { NTL::InnerProduct(field->out[0], field->a, field->b); }

// Evaluates the polynomial with the coefficients `b`, constant first, at the points `a`.
void bench_ntl_split(Field *field) {
    NTL::conv(field->polynomial, field->b);
    NTL::eval(field->out, field->polynomial, field->a);
}

// Interpolates the polynomial with the values `b` at the points `a`. Its constant coefficient is
// the first element of the result.
void bench_ntl_reconstruct(Field *field) {
    NTL::interpolate(field->polynomial, field->a, field->b);
    field->out[0] = NTL::ConstTerm(field->polynomial);
}

}
