"""A module beside the program."""


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def count(numbers: range) -> int:
    return sum(is_prime(number) for number in numbers)
